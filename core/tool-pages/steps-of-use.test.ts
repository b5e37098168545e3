import { expect, test } from "vitest";
import { stepsOfUse } from "./steps-of-use.ts";

const tool = {
  name: "Canva",
  howToUse: [],
  launchUrl: null,
  credentialService: null,
  servers: [{ url: null }],
};

test("the steps of a tool page are the owner's own", () => {
  expect(stepsOfUse({ ...tool, howToUse: ["One.", "Two."] })).toEqual(["One.", "Two."]);
});

test("without steps of the owner there are three, made from what the tool has", () => {
  expect(stepsOfUse(tool)).toEqual([
    "Open Canva in your browser or its app.",
    "Press Show code and copy the code.",
    "Paste the code where Canva asks for it.",
  ]);
  const servers = [{ url: "https://one.example" }, { url: null }];
  expect(stepsOfUse({ ...tool, servers })).toEqual([
    "Press Open beside a server.",
    "Press Show code beside a server and copy the code.",
    "Paste the code where Canva asks for it. If a server does not work, try the next one.",
  ]);
  const launchUrl = "https://canva.example";
  expect(stepsOfUse({ ...tool, launchUrl })[0]).toBe("Press Open Canva.");
  expect(stepsOfUse({ ...tool, launchUrl, credentialService: "Other" })).toEqual([
    "Press Login to open Canva.",
    "Copy the email and the password from Tool Credentials and sign in.",
    "When Canva asks for a code, press Show code, copy it and paste it there.",
  ]);
});
