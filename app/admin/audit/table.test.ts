import { expect, test } from "vitest";
import { fieldsOf } from "./table.tsx";

const texts = (details: Record<string, unknown>) =>
  fieldsOf(details, "Asia/Kolkata").map(({ name, before, after }) =>
    before === undefined ? `${name}: ${after}` : `${name}: ${before} → ${after}`,
  );

test("the changed fields of an audit event show their values before and after, as a person reads them", () => {
  const before = {
    pricePaise: 14_900,
    isActive: true,
    expiresAt: "2026-11-22T10:00:00.000Z",
    features: ["A", "B"],
  };
  const after = { pricePaise: 9_950, isActive: false, expiresAt: null, features: [] };
  expect(texts({ before, after })).toEqual([
    "Price: ₹149 → ₹99.50",
    "Active: Yes → No",
    "Expires at: 22/11/26, 15:30 → —",
    "Features: A, B → —",
  ]);
});

test("a value that was added or deleted has no value on the other side", () => {
  expect(texts({ after: { serverName: "Server 1" } })).toEqual(["Server name: — → Server 1"]);
  expect(texts({ before: { code: "DIWALI" }, after: null })).toEqual(["Code: DIWALI → —"]);
});

test("the other facts of an audit event are listed after the changes, without the unchanged fields", () => {
  const details = { reason: "asked for it", before: { status: "completed" }, after: { status: "completed" } };
  expect(texts({ ...details, paidBackPaise: 14_900 })).toEqual(["Reason: asked for it", "Refunded: ₹149"]);
});

test("the places where a tool works have the labels of the form in the audit log", () => {
  expect(texts({ before: { worksOn: [] }, after: { worksOn: ["laptop", "extension"] } })).toEqual([
    "Works on: — → Laptop, Needs extension",
  ]);
});

test("the nested values of an audit event are written out", () => {
  const options = [{ label: "7 Days", pricePaise: 4_900 }];
  expect(texts({ after: { pricingOptions: options } })).toEqual([
    "Pricing options: — → Label: 7 Days, Price: ₹49",
  ]);
  expect(texts({ after: { claims: { users: "200+" } } })).toEqual(["Claims: — → Users: 200+"]);
});
