-- Names and texts as core/typed-text.ts makes them: NFC, without the characters of \p{Cf} but the two joiners, and without outer spaces.
CREATE FUNCTION pg_temp.clean_text(typed text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  select btrim(regexp_replace(normalize(typed, NFC),
    '[\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F]', '', 'g'))
$$;--> statement-breakpoint
-- A tool that would get the name of another one keeps its own. The health check "names" lists both.
UPDATE tools SET name = pg_temp.clean_text(name)
  WHERE name <> pg_temp.clean_text(name) AND pg_temp.clean_text(name) <> '' AND (deleted_at IS NOT NULL OR NOT EXISTS (
    SELECT FROM tools AS other WHERE other.id <> tools.id AND other.deleted_at IS NULL
      AND lower(pg_temp.clean_text(other.name)) = lower(pg_temp.clean_text(tools.name))));--> statement-breakpoint
UPDATE user_purchases SET tool_name = pg_temp.clean_text(tool_name)
  WHERE tool_name <> pg_temp.clean_text(tool_name) AND pg_temp.clean_text(tool_name) <> ''
    AND NOT EXISTS (SELECT FROM tools WHERE tools.name = user_purchases.tool_name);--> statement-breakpoint
UPDATE tools SET servers = pg_temp.clean_text(servers::text)::jsonb
  WHERE servers::text <> pg_temp.clean_text(servers::text) AND (
    SELECT count(*) = count(DISTINCT lower(pg_temp.clean_text(server ->> 'name'))) AND bool_and(pg_temp.clean_text(server ->> 'name') <> '')
      FROM jsonb_array_elements(servers) AS server);--> statement-breakpoint
UPDATE access_codes SET server_name = pg_temp.clean_text(server_name)
  WHERE server_name <> pg_temp.clean_text(server_name) AND NOT EXISTS (
    SELECT FROM tools, jsonb_array_elements(tools.servers) AS server
      WHERE tools.id = access_codes.tool_id AND server ->> 'name' = access_codes.server_name);--> statement-breakpoint
UPDATE tools SET description = pg_temp.clean_text(description), features = pg_temp.clean_text(features::text)::jsonb
  WHERE description <> pg_temp.clean_text(description) OR features::text <> pg_temp.clean_text(features::text);--> statement-breakpoint
UPDATE users SET display_name = pg_temp.clean_text(display_name) WHERE display_name <> pg_temp.clean_text(display_name);
--> statement-breakpoint
UPDATE tool_page_openers AS grants SET tool_name = pg_temp.clean_text(tool_name)
  WHERE tool_name <> pg_temp.clean_text(tool_name) AND pg_temp.clean_text(tool_name) <> '' AND NOT EXISTS (
    SELECT FROM tool_page_openers AS other WHERE other.page = grants.page AND other.id <> grants.id
      AND lower(pg_temp.clean_text(other.tool_name)) = lower(pg_temp.clean_text(grants.tool_name)));
