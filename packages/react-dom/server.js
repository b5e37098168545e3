import * as Server from "preact/compat/server";

export * from "preact/compat/server";

/** React's function returns a promise of the stream. React Email waits for it. */
export async function renderToReadableStream(node, options) {
  return Server.renderToReadableStream(node, options);
}

export default { ...Server.default, renderToReadableStream };
