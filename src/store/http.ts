import http, { type IncomingHttpHeaders } from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { rootCertificates } from "node:tls";

/** One request; its body is in memory, so that it can be sent again. */
export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** An answer, whatever its status. Whoever gets it reads the body or destroys it. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** How a store is spoken to. */
export interface HttpOptions {
  /** PEM text, trusted besides the usual roots. */
  readonly caCert?: string | undefined;
  readonly skipVerify?: boolean;
  /** The wait before the second try; each further one is twice as long. */
  readonly pauseMs?: number;
}

const tries = 4;
const connectMs = 10_000;
/** Silence on a connection; a slow but moving transfer is never cut. */
const silenceMs = 60_000;

/** Sends requests over kept connections, and repeats those that may pass: overload, failing servers, connections that break. */
export class Http {
  readonly #agents: { readonly "http:": http.Agent; readonly "https:": https.Agent };
  readonly #pauseMs: number;

  constructor({ caCert, skipVerify = false, pauseMs = 250 }: HttpOptions = {}) {
    const kept = { keepAlive: true, maxSockets: 50 };
    const ca = caCert === undefined ? {} : { ca: [...rootCertificates, caCert] };
    this.#agents = {
      "http:": new http.Agent(kept),
      "https:": new https.Agent({ ...kept, ...ca, rejectUnauthorized: !skipVerify }),
    };
    this.#pauseMs = pauseMs;
  }

  async send(request: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
    for (let left = tries - 1, wait = this.#pauseMs; ; left -= 1, wait *= 2) {
      signal?.throwIfAborted();
      const answer = await this.#once(request, signal).catch((error: unknown) => {
        if (signal?.aborted) throw signal.reason;
        if (left === 0 || !isBroken(error)) throw error;
        return undefined;
      });
      if (answer !== undefined && (left === 0 || !mayPass(answer.status))) return answer;
      answer?.body.destroy();
      await pause(Math.max(wait, askedMs(answer)), undefined, signal && { signal }).catch(() => undefined); // the next turn sees the signal
    }
  }

  #once({ method, url, headers, body }: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
    const isSecure = url.protocol === "https:";
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const withLength = method === "PUT" || method === "POST" ? { "content-length": String(length) } : {};
    return new Promise((resolve, reject) => {
      const sent = (isSecure ? https : http).request(url, {
        method,
        agent: this.#agents[isSecure ? "https:" : "http:"],
        headers: { ...withLength, ...headers },
        timeout: connectMs,
        ...(signal && { signal }),
      });
      sent.on("socket", (socket) => {
        const connected = () => socket.setTimeout(silenceMs);
        if (socket.connecting) socket.once(isSecure ? "secureConnect" : "connect", connected);
        else connected();
      });
      sent.on("timeout", () => sent.destroy(silence()));
      sent.on("error", reject);
      sent.on("response", (answer) => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
      });
      sent.end(body);
    });
  }
}

/** The body of an answer as text; more than the limit is an error. */
export async function readText({ body }: HttpAnswer, limitBytes = 16 << 20): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new Error(`the answer has more than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function silence(): Error {
  return Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" });
}

function mayPass(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 507);
}

/** What another try may mend; an unknown host, a refused connection or a bad certificate it does not. */
function isBroken(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ECONNRESET" || code === "EPIPE" || code === "ETIMEDOUT" || code === "EAI_AGAIN";
}

/** A server may ask for a wait, up to ten seconds. */
function askedMs(answer: HttpAnswer | undefined): number {
  const seconds = Number(answer?.headers["retry-after"] ?? 0);
  return Number.isFinite(seconds) ? Math.min(10, seconds) * 1000 : 0;
}
