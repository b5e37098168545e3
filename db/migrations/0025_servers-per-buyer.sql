UPDATE "tools" SET "servers" = (
  SELECT jsonb_agg(
    CASE WHEN EXISTS (
      SELECT 1 FROM "access_codes"
      WHERE "tool_id" = "tools"."id" AND "per_buyer" AND lower(btrim("server_name")) = lower(btrim("server" ->> 'name'))
    ) THEN "server" || '{"perBuyer": true}' ELSE "server" END
    ORDER BY "place"
  )
  FROM jsonb_array_elements("servers") WITH ORDINALITY AS "listed" ("server", "place")
)
WHERE jsonb_array_length("servers") > 0 AND EXISTS (SELECT 1 FROM "access_codes" WHERE "tool_id" = "tools"."id" AND "per_buyer");
