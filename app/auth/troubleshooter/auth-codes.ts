/** The codes of failed sign-ins that the diagnostics explain. Support asks for them. */
export type AuthCode =
  | "auth/unauthorized-domain"
  | "auth/popup-closed-by-user"
  | "auth/network-request-failed";

/** What has happened, and what the person can do about it. */
export interface Explanation {
  code: AuthCode;
  text: string;
  action: string;
}

/** @param origin where people can sign in, such as "https://shop.example" */
export function explainCode(code: AuthCode, origin: string): Explanation {
  switch (code) {
    case "auth/unauthorized-domain":
      return {
        code,
        text: "You can’t sign in at this web address.",
        action: `Open the shop at ${origin} and sign in there.`,
      };
    case "auth/popup-closed-by-user":
      return {
        code,
        text: "The Google window was closed before you finished signing in.",
        action: "Try again, and leave the window open until it closes by itself.",
      };
    case "auth/network-request-failed":
      return {
        code,
        text: "The connection failed.",
        action:
          "Check your internet connection. If you use a VPN or an ad blocker, turn it off and try again.",
      };
  }
}
