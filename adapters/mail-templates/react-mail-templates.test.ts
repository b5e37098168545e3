import { expect, test } from "vitest";
import { reactMailTemplates } from "./react-mail-templates.tsx";

test("a reset mail contains its link in HTML and text and says how long it works", async () => {
  const resetUrl = "https://shop.example/reset-password?token=abc-_123";
  const mail = await reactMailTemplates.render("password-reset", { resetUrl, validMinutes: 60 });
  expect(mail.subject).toBe("Set a new password");
  expect(mail.html).toContain(`href="${resetUrl}"`);
  expect(mail.text).toContain(resetUrl);
  expect(mail.text).toContain("60 minutes");
  expect(mail.text).not.toContain("<");
});

test("a refund mail names the tool, the amount and the reason", async () => {
  const mail = await reactMailTemplates.render("payment-refunded", {
    toolName: "Canva <Pro>",
    amountPaise: 14900,
    reason: "The tool was sold out.",
  });
  expect(mail.subject).toBe("We are sending back ₹149 for Canva <Pro>");
  expect(mail.html).toContain("Canva &lt;Pro&gt;");
  expect(mail.text).toContain("The tool was sold out.");
  expect(mail.text).toContain("₹149");
});

test("a mail about an uncaptured payment says so and promises no refund by the shop", async () => {
  const mail = await reactMailTemplates.render("payment-not-taken", {
    toolName: "Canva <Pro>",
    amountPaise: 14900,
    reason: "The tool was sold out when the payment arrived.",
  });
  expect(mail.subject).toBe("Your payment of ₹149 for Canva <Pro> was not taken");
  expect(mail.html).toContain("Canva &lt;Pro&gt;");
  expect(mail.text).toContain("we have not taken it. The tool was sold out when the payment arrived.");
  expect(mail.text).toContain("comes back by itself");
  expect(mail.text).not.toContain("refund");
});

test("the mail to the winner of the giveaway names the tool and the end of the pass, and links to the tool", async () => {
  const toolUrl = "https://shop.example/tools/canva";
  const mail = await reactMailTemplates.render("giveaway-won", {
    ...{ toolName: "Canva <Pro>", until: "22/11/26, 12:00", toolUrl },
  });
  expect(mail.subject).toBe("You won today's giveaway: Canva <Pro>");
  expect(mail.html).toContain("Canva &lt;Pro&gt;");
  expect(mail.html).toContain(`href="${toolUrl}"`);
  expect(mail.text).toContain("22/11/26, 12:00");
  expect(mail.text).toContain(toolUrl);
});

test("a mail about an account that was taken over names the address and says what has ended", async () => {
  const facts = { email: "asha@example.com" };
  const mail = await reactMailTemplates.render("account-taken-over", facts);
  expect(mail.subject).toBe("Your account now opens with Google");
  expect(mail.text).toContain("asha@example.com");
  expect(mail.text).toContain("removed its old password");
  expect(mail.text).toContain("contact support");
});

test("the mail about Google as a second way to sign in says that the password still works, and what to do otherwise", async () => {
  const mail = await reactMailTemplates.render("google-linked", { email: "asha@example.com" });
  expect(mail.subject).toBe("Google now opens your account too");
  expect(mail.text).toContain("asha@example.com");
  expect(mail.text).toContain("as well as with your password");
  expect(mail.text).toContain("change your password");
});
