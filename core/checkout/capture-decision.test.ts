import { expect, test } from "vitest";
import { type CaptureFacts, decideCapture } from "./capture-decision.ts";

const pending: CaptureFacts = {
  status: "pending",
  ended: false,
  alreadyBack: false,
  failedReason: null,
  amountMatches: true,
  userUsable: true,
  ownsTool: false,
};
const failed = (failedReason: CaptureFacts["failedReason"]): CaptureFacts => ({
  ...pending,
  status: "failed",
  failedReason,
});

test.each<[string, CaptureFacts, ReturnType<typeof decideCapture>]>([
  ["waiting for money", pending, { kind: "complete" }],
  ["hold over", failed("hold-ended"), { kind: "retake" }],
  ["checkout closed", failed("closed"), { kind: "retake" }],
  ["order creation seemed to fail", failed("gateway"), { kind: "retake" }],
  ["replaced by another checkout", failed("replaced"), { kind: "refund", reason: "purchase-replaced" }],
  ["its money already went back", failed("refunded"), { kind: "refund", reason: "duplicate-payment" }],
  ["paid twice", { ...pending, status: "completed" }, { kind: "refund", reason: "duplicate-payment" }],
  [
    "ended by the admin",
    { ...pending, status: "completed", ended: true },
    { kind: "refund", reason: "purchase-ended" },
  ],
  ["account gone", { ...pending, userUsable: false }, { kind: "refund", reason: "account-closed" }],
  ["owned by another way", { ...pending, ownsTool: true }, { kind: "refund", reason: "already-owned" }],
  [
    "owned, after the hold",
    { ...failed("hold-ended"), ownsTool: true },
    { kind: "refund", reason: "already-owned" },
  ],
  [
    "paid back by the owner",
    { ...pending, alreadyBack: true },
    { kind: "refund", reason: "refunded-at-gateway" },
  ],
  ["wrong amount", { ...pending, amountMatches: false }, { kind: "refund", reason: "amount-mismatch" }],
])("a capture for a purchase %s", (_, facts, decision) => {
  expect(decideCapture(facts)).toEqual(decision);
});
