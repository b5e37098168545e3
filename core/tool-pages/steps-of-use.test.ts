import { expect, test } from "vitest";
import { stepsOfUse } from "./rules.ts";

const tool = {
  name: "Canva",
  howToUse: [],
  launchUrl: null,
  credentialService: null,
  credentialId: null,
  servers: [{ url: null }],
};
const servers = [{ url: "https://one.example" }, { url: null }];
const launchUrl = "https://canva.example";

test("the steps of a tool page are the owner's own, with the extension too", () => {
  const own = ["One.", "Two."];
  expect(stepsOfUse({ ...tool, howToUse: own })).toEqual({ plain: own, withExtension: own });
});

test("without steps of the owner there are three, made from what the tool has", () => {
  expect(stepsOfUse(tool).plain).toEqual([
    "Open Canva in your browser or its app.",
    "Press Show code and copy the code.",
    "Paste the code where Canva asks for it.",
  ]);
  expect(stepsOfUse({ ...tool, servers }).plain).toEqual([
    "Press Open next to a server.",
    "Press Show code next to a server and copy the code.",
    "Paste the code where Canva asks for it. If a server does not work, try the next one.",
  ]);
  expect(stepsOfUse({ ...tool, launchUrl }).plain[0]).toBe("Press Open Canva.");
  expect(stepsOfUse({ ...tool, launchUrl, credentialService: "Other" }).plain).toEqual([
    "Press Login to open Canva.",
    "Copy the email and the password from Tool Credentials and sign in.",
    "When Canva asks for a code, press Show code, copy it and paste it there.",
  ]);
});

test("the steps for a browser with the extension begin with Click", () => {
  expect(stepsOfUse(tool).withExtension).toEqual([
    "Press Click.",
    "Open the extension in the toolbar of your browser and press Open.",
    "If Canva asks for a code, press Show code.",
  ]);
  expect(stepsOfUse({ ...tool, servers }).withExtension).toEqual([
    "Press Click next to a server.",
    "Open the extension in the toolbar of your browser and press Open.",
    "If Canva asks for a code, press Show code. If a server does not work, try the next one.",
  ]);
  expect(stepsOfUse({ ...tool, launchUrl, credentialService: "Other" }).withExtension[2]).toBe(
    "Sign in with the email and the password from Tool Credentials. If Canva asks for a code, press Show code.",
  );
});
