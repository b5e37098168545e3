import { expect, test } from "vitest";
import { validateReset, validateSignIn, validateSignUp } from "./use-auth-form.ts";

const email = "asha@example.com";

test("signing in requires an email address and a password", () => {
  expect(validateSignIn({ email, password: "x" })).toEqual({});
  expect(validateSignIn({ email: "asha", password: "" })).toEqual({
    email: ["Please enter a valid email address."],
    password: ["Please enter your password."],
  });
});

test("signing up requires a password of at least six characters", () => {
  expect(validateSignUp({ email, password: "kettle" })).toEqual({});
  expect(validateSignUp({ email, password: "kettl" })).toEqual({
    password: ["Password should be at least 6 characters."],
  });
});

test("a password reset requires an email address with an '@'", () => {
  expect(validateReset({ email: "asha@" })).toEqual({});
  for (const wrong of ["", "asha"])
    expect(validateReset({ email: wrong })).toEqual({ email: ["Please enter a valid email address"] });
});
