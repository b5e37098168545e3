/** The page or its popup goes here to sign in with Google. */
export const START_PATH = "/api/auth/google/start";

/** Google sends the browser here. The owner registers this address with the OAuth client. */
export const CALLBACK_PATH = "/api/auth/callback/google";
