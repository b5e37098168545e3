import type { BrowserRequest } from "./authenticator.ts";

/** The page or its popup goes here to sign in with Google. */
export const GOOGLE_START_PATH = "/api/auth/google/start";

/** Google sends the browser here. The owner registers this address with the OAuth client. */
export const GOOGLE_CALLBACK_PATH = "/api/auth/callback/google";

/** A sign-in that a browser has begun and that the provider has not answered yet. */
export interface SignInAttempt {
  /** popup: the page waits for a window that it has opened; page: the page itself has gone to the provider. */
  mode: "popup" | "page";
  /** The path of the shop that the browser returns to. */
  returnTo: string;
  /** Chosen by the page. It recognises the answer of its own window by it. */
  attemptId: string;
}

/** What the provider says about a person. */
export interface ProviderIdentity {
  /** The provider. Ids of two providers may be equal. */
  issuer: string;
  /** The id of the person at the provider. It never changes; an address may. */
  subject: string;
  /** As the provider writes it. */
  email: string;
  emailVerified: boolean;
  /**
   * Whether the provider is Google and itself gives out the addresses of this domain, so that nobody else can have the address
   * today. It only knows that the person could read the mail of any other address once.
   */
  isAuthoritative: boolean;
  /** Empty when the provider names nobody. */
  displayName: string;
  /** An https address. */
  photoUrl: string | null;
}

/** The port for the sign-in with an OpenID provider, such as Google. */
export interface IdentityProvider {
  /** The address that identifies the provider. */
  readonly issuer: string;
  /**
   * The address of the provider's sign-in page for one attempt, and the cookie that the answer is checked against.
   *
   * @param callbackUrl where the provider sends the browser afterwards
   * @throws Error when the provider cannot be reached
   */
  start(attempt: SignInAttempt, callbackUrl: string): Promise<{ url: string; setCookie: string }>;
  /**
   * An address of the provider for a request of the browser that only finds out whether the provider can be reached: its sign-in
   * page, or its configuration when the sign-in page is on another host, which the policy of our pages does not allow.
   *
   * @throws Error when the provider cannot be reached from here
   */
  addressToCheck(): Promise<string>;
  /** The attempt of the request's cookie; null if there is none, or when it was changed or is older than ten minutes. */
  readAttempt(request: BrowserRequest): SignInAttempt | null;
  /** The Set-Cookie value that ends the attempt. */
  endAttempt(): string;
  /**
   * Checks the answer of the provider and asks it who has signed in.
   *
   * @param answer the whole address that the provider has sent the browser to
   * @throws DomainError 'sign-in-cancelled'; 'authentication-failed' when the answer does not belong to the attempt or is not
   *   valid, with `message` when the provider gives a reason; Error when the provider cannot be reached
   */
  finish(answer: URL, request: BrowserRequest): Promise<ProviderIdentity>;
}
