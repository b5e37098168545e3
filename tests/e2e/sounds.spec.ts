import { type BrowserContext, expect, type Page } from "@playwright/test";
import { PRESETS, type SoundName } from "#app/sounds/player.ts";
import { test } from "./fixtures.ts";
import { newEmail, signInAsNewUser } from "./test-users.ts";

/** What the page has done with audio: a sound is known by its length. */
interface Heard {
  contexts: number;
  sounds: { seconds: number; at: number }[];
}

declare global {
  interface Window {
    heard?: Heard;
  }
}

async function recordSounds(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const heard: Heard = { contexts: 0, sounds: [] };
    window.heard = heard;
    window.AudioContext = class extends AudioContext {
      constructor() {
        super();
        heard.contexts++;
      }
    };
    const { start } = AudioBufferSourceNode.prototype;
    AudioBufferSourceNode.prototype.start = function (...args) {
      heard.sounds.push({ seconds: this.buffer?.duration ?? 0, at: performance.now() });
      start.apply(this, args);
    };
  });
}

test.beforeEach(({ context }) => recordSounds(context));

const contextsOf = (page: Page) => page.evaluate(() => window.heard?.contexts);

/** Attack, sustain and release. */
const secondsOf = (name: SoundName) => PRESETS[name].slice(3, 6).reduce((seconds, part) => seconds + part, 0);

/** The sounds that were played, by name. */
async function soundsOf(page: Page): Promise<SoundName[]> {
  const sounds = (await page.evaluate(() => window.heard?.sounds)) ?? [];
  const names = ["click", "hover", "success", "notification", "error", "pop", "whoosh"] as const;
  return sounds.map(({ seconds }) => {
    const name = names.find((one) => Math.abs(secondsOf(one) - seconds) < 0.001);
    if (name === undefined) throw new Error(`no preset is ${seconds} seconds long`);
    return name;
  });
}

/** Waits until the sound was played, and until another sound may follow. */
async function expectSound(page: Page, name: SoundName): Promise<void> {
  await expect.poll(() => soundsOf(page)).toContain(name);
  await page.waitForFunction(() => performance.now() - (window.heard?.sounds.at(-1)?.at ?? 0) > 100);
}

/** Presses something until the code of the sounds has been loaded; it drops sounds that would come late. */
async function warmUp(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  await expect(async () => {
    await page.getByRole("button", { name: "Get Started" }).first().click();
    // A dialog whose code still arrives does not hear Escape.
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    expect((await soundsOf(page)).length).toBeGreaterThan(0);
  }).toPass();
}

const switchOf = (page: Page) => page.getByRole("switch", { name: "Sound" });

test("nothing opens the audio device before the first gesture, and then each thing has its sound", async ({
  shop,
  page,
}) => {
  await test.step("before the first gesture nothing opens the audio device, and then buttons, dialogs and pages have their sounds", async () => {
    const scripts: string[] = [];
    page.on("request", (request) => scripts.push(request.url()));
    await shop.open("/");
    await page.waitForLoadState("networkidle");
    expect(scripts.filter((url) => /zzfx|sound-events/i.test(url))).toEqual([]);
    await page.mouse.move(300, 600);
    await page.mouse.wheel(0, 200);
    // Presses that a script makes.
    await page.evaluate(() => {
      for (const button of document.querySelectorAll<HTMLElement>("main button.button-strong"))
        button.click();
    });
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await contextsOf(page)).toBe(0);
    expect(scripts.filter((url) => /zzfx/i.test(url))).toEqual([]);

    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await warmUp(page);
    expect(await contextsOf(page)).toBe(1);
    await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
    await expectSound(page, "click");
    await expectSound(page, "pop");
    await shop.signIn.button("Sign in with Email").click();
    await shop.signIn.fill({ email: newEmail(), password: "not-that-one" });
    await shop.signIn.button("Sign In").click();
    await expectSound(page, "error");
    await page.keyboard.press("Escape");
    await expectSound(page, "whoosh");
    // A card may have been under the mouse when the dialog closed, and is silent, as each is soon after another sound.
    await expect(async () => {
      await shop.card("QuillBot").hover();
      await shop.card("Canva").hover();
      expect(await soundsOf(page)).toContain("hover");
    }).toPass();
    expect(await contextsOf(page)).toBe(1);

    const before = (await soundsOf(page)).filter((name) => name === "whoosh").length;
    await page.getByRole("navigation", { name: "Footer" }).getByRole("link", { name: "Terms" }).click();
    await expect(page).toHaveURL(/\/terms$/);
    await expect
      .poll(async () => (await soundsOf(page)).filter((name) => name === "whoosh").length)
      .toBe(before + 1);
  });
  await test.step("a payment that succeeds sounds, and so does a notice", async () => {
    await signInAsNewUser(page);
    await shop.open("/");
    await shop.openPurchase("ChatGPT Pro");
    await shop.purchase.option("7 Days").check();
    await shop.purchase.openGateway("₹149");
    await shop.purchase.gatewayButton("Pay").click();
    await expectSound(page, "success");
    // It waits for 30 seconds after a purchase.
    await page.evaluate(() => sessionStorage.clear());
    await page.keyboard.press("Escape");
    await shop.accountNav.getByRole("link", { name: "Dashboard" }).click();
    await expect(page.getByRole("dialog", { name: "Extension Update Available" })).toBeVisible();
    await expectSound(page, "notification");
  });
});

test("the switch of sounds in the footer is remembered, and is off at first for a person who wants less motion", async ({
  shop,
  page,
}) => {
  await test.step("a person who wants less motion hears nothing, unless they switch the sounds on", async () => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await shop.open("/");
    await expect(switchOf(page)).not.toBeChecked();
    await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    expect(await contextsOf(page)).toBe(0);
    await switchOf(page).click();
    await expect(switchOf(page)).toBeChecked();
    await warmUp(page);
    expect(await contextsOf(page)).toBe(1);
    await shop.reload();
    await expect(switchOf(page)).toBeChecked();
  });
  await page.evaluate(() => localStorage.clear());
  await page.emulateMedia({ reducedMotion: null });
  await test.step("the switch in the footer is remembered and followed by the other pages of the browser", async () => {
    await shop.open("/");
    await expect(switchOf(page)).toBeChecked();
    const other = await page.context().newPage();
    await other.goto("/terms");
    await expect(switchOf(other)).toBeChecked();
    await page.bringToFront();
    await switchOf(page).click();
    await expect(switchOf(page)).not.toBeChecked();
    await expect(switchOf(other)).not.toBeChecked();

    await shop.reload();
    await expect(switchOf(page)).not.toBeChecked();
    await shop.accountNav.getByRole("button", { name: "Get Started" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    expect(await contextsOf(page)).toBe(0);

    await switchOf(page).click();
    await expect(switchOf(page)).toBeChecked();
    await expect(switchOf(other)).toBeChecked();
    await warmUp(page);
    expect(await contextsOf(page)).toBe(1);
    await signInAsNewUser(page);
    await shop.open("/dashboard");
    await expect(switchOf(page)).toBeChecked();
  });
});
