import type { WorksOn } from "#db/tables/catalog.ts";
import { type CredentialChoice, offersCredential } from "../credentials/rules.ts";

/** What the steps of a tool page depend on. */
interface ToolFacts extends CredentialChoice {
  name: string;
  /** The owner's own steps; empty: there are none. */
  howToUse: readonly string[];
  launchUrl: string | null;
  servers: readonly { url: string | null }[];
  worksOn: readonly WorksOn[];
  /** The address of the account that reads the page. */
  accountEmail: string;
}

/** How a buyer uses a tool, in at most three steps: the owner's own, or else steps made from what the tool has. */
export interface StepsOfUse {
  /** For a computer without the extension. */
  plain: readonly string[];
  /** For a browser with the extension. As many as the plain ones. */
  withExtension: readonly string[];
  /** For a phone: the code is copied first, because another app hides this page. */
  onPhone: readonly string[];
  /**
   * For a phone, for a tool that works on computers only: how to open this page on a computer, where it shows the steps of use.
   */
  toComputer: readonly string[];
}

/** @param say writes the shop's own sentences in the reader's language; the owner's stay as they are */
export function stepsOfUse(tool: ToolFacts, say: SayStep = sayInEnglish): StepsOfUse {
  const { howToUse, name, accountEmail: email } = tool;
  const write = (steps: readonly (readonly StepSentence[])[]) =>
    steps.map((sentences) => sentences.map((sentence) => say(sentence, { name, email })).join(" "));
  const toComputer = write(stepsToComputer(tool));
  if (howToUse.length > 0) {
    return { plain: howToUse, withExtension: howToUse, onPhone: howToUse, toComputer };
  }
  return {
    toComputer,
    plain: write(plainSteps(tool)),
    withExtension: write(extensionSteps(tool)),
    onPhone: write(phoneSteps(tool)),
  };
}

/** What a sentence may have: the name of the tool for `{name}`, and the email address of the account for `{email}`. */
interface StepValues {
  name: string;
  email: string;
}

/** A sentence with its values put in. */
export type SayStep = (sentence: StepSentence, values: StepValues) => string;

const sayInEnglish: SayStep = (sentence, { name, email }) =>
  sentence.replaceAll(/\{(name|email)\}/g, (_, value) => (value === "name" ? name : email));

/** A sentence of the steps, as a whole: other languages have another order of words. */
type StepSentence = ReturnType<
  typeof plainSteps | typeof extensionSteps | typeof phoneSteps | typeof stepsToComputer
>[number][number];

function plainSteps(tool: ToolFacts) {
  const { launchUrl, servers } = tool;
  const several = servers.length > 1;
  if (offersCredential(tool)) {
    const signIn = [
      [launchUrl === null ? "Open {name}." : "Press Login to open {name}."],
      [SIGN_IN],
    ] as const;
    if (servers.length === 0) return signIn;
    return [
      ...signIn,
      [
        several
          ? "When {name} asks for a code, press Show code next to a server, copy it and paste it there."
          : "When {name} asks for a code, press Show code, copy it and paste it there.",
      ],
    ] as const;
  }
  return [
    [firstStep(tool)],
    [several ? "Press Show code next to a server and copy the code." : "Press Show code and copy the code."],
    ["Paste the code where {name} asks for it.", ...tryNext(tool)],
  ] as const;
}

function extensionSteps(tool: ToolFacts) {
  // Without a server there is no code for the extension.
  if (tool.servers.length === 0 && offersCredential(tool)) return plainSteps(tool);
  return [
    [tool.servers.length > 1 ? "Press Click next to a server." : "Press Click."],
    [hasLaunchAddress(tool) ? "{name} opens in a new tab." : "Open {name} in a new tab."],
    offersCredential(tool)
      ? ([SIGN_IN, "If {name} asks for a code, press the Daypass icon at the top right, then Copy."] as const)
      : ([
          "When {name} asks for a code, press the Daypass icon at the top right, then Copy.",
          ...tryNext(tool),
        ] as const),
  ] as const;
}

/** Whether the shop knows where the tool is, so that the extension opens it. */
export function hasLaunchAddress({ launchUrl, servers }: Pick<ToolFacts, "launchUrl" | "servers">): boolean {
  return launchUrl !== null || servers.some(({ url }) => url !== null);
}

function phoneSteps(tool: ToolFacts) {
  const { launchUrl, servers } = tool;
  const several = servers.length > 1;
  if (offersCredential(tool)) {
    const signIn = [
      [
        launchUrl === null
          ? "Press Copy email, open {name} and paste it there."
          : "Press Copy email, press Login and paste it there.",
      ],
      ["Come back for Copy password, and paste that too."],
    ] as const;
    if (servers.length === 0) return signIn;
    return [...signIn, ["If {name} asks for a code, press Show code and Copy here."]] as const;
  }
  return [
    [several ? "Press Show code next to a server, then Copy." : "Press Show code, then Copy."],
    [firstStep(tool)],
    ["Paste the code where {name} asks for it.", ...tryNext(tool)],
  ] as const;
}

function stepsToComputer(tool: ToolFacts) {
  const needsExtension = tool.worksOn.includes("extension");
  const [[start]] = needsExtension ? extensionSteps(tool) : plainSteps(tool);
  return [
    ["On a computer, open the link to this page and sign in with {email}."],
    ...(needsExtension ? ([["Install the browser extension there. Your dashboard has it."]] as const) : []),
    [start, "The page there shows the next steps."],
  ] as const;
}

const SIGN_IN = "Press Copy email and Copy password, and sign in with them.";
const TRY_NEXT = "If a server does not work, try the next one.";

const tryNext = ({ servers }: Pick<ToolFacts, "servers">) =>
  servers.length > 1 ? ([TRY_NEXT] as const) : [];

function firstStep({ launchUrl, servers }: Pick<ToolFacts, "launchUrl" | "servers">) {
  if (launchUrl !== null) return "Press Open {name}.";
  return hasLaunchAddress({ launchUrl, servers })
    ? "Press Open next to a server."
    : "Open {name} in your browser or its app.";
}

/** The version of a code that the buyer's pass takes at the first reveal. */
export const UNTAKEN_CODE = "untaken";
