import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createClientAddresses } from "../http/client-address.ts";
import { askSigned, createAnswer, healthKey, QUESTION_HEADER } from "./signed-question.ts";

const key = healthKey("a-secret-for-tests-0123456789abcdefghijklmnop");
const answer = createAnswer(key, createClientAddresses(["10.0.0.0/8"]));

function requestWith(headers: Record<string, string>, remoteAddress = "10.0.0.5"): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: remoteAddress });
  return Object.assign(new IncomingMessage(socket), { headers });
}

test("a signed question is answered with the way of the request, which only the asker accepts", () => {
  const { header, readAnswer } = askSigned(key);
  const body = answer(requestWith({ [QUESTION_HEADER]: header, "x-forwarded-for": "203.0.113.9" })) ?? "";
  const way = { connection: "10.0.0.5", client: "203.0.113.9", isForwarded: true, isTrusted: true };
  expect(readAnswer(body)).toEqual(way);
  // An answer to another question, as a cache gives it.
  expect(askSigned(key).readAnswer(body)).toBeNull();
  expect(readAnswer(body.replace("203.0.113.9", "203.0.113.8"))).toBeNull();
  for (const other of ['{"ok":true}', "", "<html>", '{"ok":true,"way":{},"signature":"é"}'])
    expect(readAnswer(other)).toBeNull();
});

test("a client without the key gets no more than everybody", () => {
  const foreign = askSigned(healthKey("another-secret-for-tests-0123456789abcdefghij")).header;
  const { header } = askSigned(key);
  const swapped = `${"0".repeat(32)}${header.slice(32)}`;
  for (const wrong of [foreign, swapped, header.slice(0, -1), `${header}0`, "", "é".repeat(97)])
    expect(answer(requestWith({ [QUESTION_HEADER]: wrong }))).toBeNull();
  expect(answer(requestWith({}))).toBeNull();
});

test("a client that is not a trusted proxy cannot say that it is another one", () => {
  const { header, readAnswer } = askSigned(key);
  const headers = { [QUESTION_HEADER]: header, "x-forwarded-for": "203.0.113.9" };
  expect(readAnswer(answer(requestWith(headers, "198.51.100.7")) ?? "")).toEqual({
    connection: "198.51.100.7",
    client: "198.51.100.7",
    isForwarded: true,
    isTrusted: false,
  });
});
