import { expect, test } from "vitest";
import { checkReset, checkSignIn, checkSignUp } from "./validate-credentials.ts";

const email = "asha@example.com";

test("signing in wants an address and a password", () => {
  expect(checkSignIn({ email, password: "x" })).toEqual({});
  expect(checkSignIn({ email: "asha", password: "" })).toEqual({
    email: ["Please enter a valid email address."],
    password: ["Please enter your password."],
  });
});

test("signing up wants six characters", () => {
  expect(checkSignUp({ email, password: "kettle" })).toEqual({});
  expect(checkSignUp({ email, password: "kettl" })).toEqual({
    password: ["Password should be at least 6 characters."],
  });
});

test("a reset wants an '@'", () => {
  expect(checkReset({ email: "asha@" })).toEqual({});
  for (const wrong of ["", "asha"])
    expect(checkReset({ email: wrong })).toEqual({ email: ["Please enter a valid email address"] });
});
