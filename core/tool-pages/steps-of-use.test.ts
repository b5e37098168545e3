import { expect, test } from "vitest";
import { stepsOfUse } from "./rules.ts";

const tool = {
  name: "Canva",
  howToUse: [],
  launchUrl: null,
  credentialService: null,
  credentialId: null,
  servers: [{ url: null }],
  worksOn: [],
  accountEmail: "asha@example.com",
};
const servers = [{ url: "https://one.example" }, { url: null }];
const launchUrl = "https://canva.example";

test("the steps of a tool page are the owner's own, with the extension and on a phone too", () => {
  const own = ["One.", "Two."];
  expect(stepsOfUse({ ...tool, howToUse: own, launchUrl })).toEqual({
    plain: own,
    withExtension: own,
    onPhone: own,
    toComputer: expect.arrayContaining(["Press Open Canva. The page there shows the next steps."]),
  });
});

test("the shop's sentences can be said in another language, and the owner's stay", () => {
  const say = (sentence: string, { name }: { name: string }) =>
    `<${sentence.replace("{name}", name.toUpperCase())}>`;
  expect(stepsOfUse({ ...tool, servers }, say).onPhone[2]).toBe(
    "<Paste the code where CANVA asks for it.> <If a server does not work, try the next one.>",
  );
  expect(stepsOfUse({ ...tool, howToUse: ["Open {name}."] }, say).plain).toEqual(["Open {name}."]);
});

test("the steps of use of a tool without steps of the owner are three, made from what the tool has", () => {
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
    "Press Copy email and Copy password, and sign in with them.",
    "When Canva asks for a code, press Show code, copy it and paste it there.",
  ]);
});

test("the steps for a browser with the extension begin with Click", () => {
  expect(stepsOfUse(tool).withExtension).toEqual([
    "Press Click.",
    "Open Canva in a new tab.",
    "When Canva asks for a code, press the Daypass icon at the top right, then Copy.",
  ]);
  expect(stepsOfUse({ ...tool, servers }).withExtension).toEqual([
    "Press Click next to a server.",
    "Canva opens in a new tab.",
    "When Canva asks for a code, press the Daypass icon at the top right, then Copy. If a server does not work, try the next one.",
  ]);
  expect(stepsOfUse({ ...tool, launchUrl, credentialService: "Other" }).withExtension[2]).toBe(
    "Press Copy email and Copy password, and sign in with them. If Canva asks for a code, press the Daypass icon at the top right, then Copy.",
  );
});

test("the code is copied before the tool is opened on a phone", () => {
  expect(stepsOfUse({ ...tool, launchUrl }).onPhone).toEqual([
    "Press Show code, then Copy.",
    "Press Open Canva.",
    "Paste the code where Canva asks for it.",
  ]);
  expect(stepsOfUse({ ...tool, servers }).onPhone).toEqual([
    "Press Show code next to a server, then Copy.",
    "Press Open next to a server.",
    "Paste the code where Canva asks for it. If a server does not work, try the next one.",
  ]);
  expect(stepsOfUse({ ...tool, launchUrl, credentialService: "Other" }).onPhone).toEqual([
    "Press Copy email, press Login and paste it there.",
    "Come back for Copy password, and paste that too.",
    "If Canva asks for a code, press Show code and Copy here.",
  ]);
  expect(stepsOfUse({ ...tool, credentialService: "Other" }).onPhone[0]).toBe(
    "Press Copy email, open Canva and paste it there.",
  );
});

test("a phone has the way to the page on a computer, for a tool that works there only", () => {
  const laptop = { ...tool, worksOn: ["laptop"] } as const;
  const signIn = "On a computer, open the link to this page and sign in with asha@example.com.";
  const more = "The page there shows the next steps.";
  const start = (changes: object) => stepsOfUse({ ...laptop, ...changes }).toComputer;
  expect(start({ launchUrl })).toEqual([signIn, `Press Open Canva. ${more}`]);
  expect(start({ launchUrl, credentialService: "Other" })).toEqual([
    signIn,
    `Press Login to open Canva. ${more}`,
  ]);
  expect(start({ servers, worksOn: ["laptop", "extension"] })).toEqual([
    signIn,
    "Install the browser extension there. Your dashboard has it.",
    `Press Click next to a server. ${more}`,
  ]);
});
