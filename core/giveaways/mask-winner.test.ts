import fc from "fast-check";
import { expect, test } from "vitest";
import { maskWinner } from "./mask-winner.ts";

const mask = (name: string, email = "asha.kumar@gmail.com", deletedAt: Date | null = null) =>
  maskWinner({ name, email, deletedAt });

test.each([
  ["Asha Kumar", "As••• K."],
  ["  Asha   Devi Kumar ", "As••• K."],
  ["Asha", "As•••"],
  ["Al Ng", "A••• N."],
  ["आशा कुमार", "आ••• कु."],
  ["👩‍👩‍👧 Family", "••• F."],
  ["A", "•••"],
  ["Asha K", "As•••"],
])("of the name %j only the beginning and the initial of the last name are shown", (name, shown) => {
  expect(mask(name)).toBe(shown);
});

test.each([
  ["asha.kumar@gmail.com", "a•••@g•••.com"],
  ["a@x.co.in", "a•••@x•••.in"],
  ["a@localhost", "a•••@l•••"],
  ['"a@b"@x.org', '"•••@x•••.org'],
])("without a name the address %s is shown in part", (email, shown) => {
  expect(mask("", email)).toBe(shown);
});

test("a name that is an e-mail address is not shown", () => {
  expect(mask("asha.kumar@gmail.com")).toBe("a•••@g•••.com");
});

test("a deleted account shows neither name nor address", () => {
  expect(mask("Asha Kumar", "asha@gmail.com", new Date())).toBe("A former customer");
});

test("no whole address and no whole name of three characters or more is ever shown", () => {
  fc.assert(
    fc.property(fc.emailAddress(), fc.string({ minLength: 3 }), (email, name) => {
      const shown = mask(name, email);
      expect(shown).not.toContain(email);
      if (name.trim().length > 2) expect(shown).not.toContain(name.trim());
    }),
  );
});
