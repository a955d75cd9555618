import { readFile } from "node:fs/promises";
import { AppError } from "../errors.ts";
import { type Http, type HttpRequest, readText } from "./http.ts";
import { type Attempt, explainRefusal, networkRefusal } from "./refusal.ts";

/** What a token server gave. */
export interface Token {
  readonly value: string;
  readonly expiresMs: number;
}

/** Gives tokens, and asks for a new one in time. */
export interface Tokens {
  get(signal?: AbortSignal): Promise<string>;
  /** The store refused the one it got: the next is a new one. */
  forget(): void;
}

/** A token is not used in its last minutes: a request may take that long. */
const marginMs = 5 * 60_000;

/** Keeps a token until shortly before it expires; whoever comes while one is fetched waits for it. */
export function keepToken(fetch: (signal?: AbortSignal) => Promise<Token>, now = Date.now): Tokens {
  let held: Token | undefined;
  let asking: Promise<Token> | undefined;
  return {
    async get(signal) {
      if (held !== undefined && held.expiresMs - marginMs > now()) return held.value;
      asking ??= fetch(signal).finally(() => (asking = undefined));
      held = await asking;
      return held.value;
    },
    forget() {
      held = undefined;
    },
  };
}

/** Sends a request to a token server, and reads its JSON; refusals are explained as those of the store. */
export async function askJson(
  http: Http,
  request: HttpRequest,
  attempt: Attempt,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const failed = (error: unknown) => {
    if (signal?.aborted) return signal.reason;
    return explainRefusal(networkRefusal(error), {
      ...attempt,
      place: `${request.url.origin}, for ${attempt.place}`,
    });
  };
  const answer = await http.send(request, signal).catch((error: unknown) => {
    throw failed(error);
  });
  const text = await readText(answer, 1 << 20).catch((error: unknown) => {
    throw failed(error);
  });
  const said = parsed(text);
  if (answer.status >= 200 && answer.status < 300 && said !== undefined) return said;
  throw explainRefusal({ status: answer.status, ...oauthWords(said) }, attempt);
}

/** A form for a token server. */
export function formOf(fields: Readonly<Record<string, string>>): Pick<HttpRequest, "body" | "headers"> {
  return {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
  };
}

/** The token of an OAuth answer. */
export function tokenOf(answer: Readonly<Record<string, unknown>>, nowMs: number): Token {
  const { access_token: value, expires_in: seconds } = answer;
  if (typeof value !== "string" || value === "") {
    throw new AppError("STORE_FAILED", "the token server answered without a token");
  }
  const left = Number(seconds);
  return { value, expiresMs: nowMs + (Number.isFinite(left) && left > 0 ? left : 600) * 1000 };
}

/** A file that the cluster mounts and changes now and then. */
export async function readMounted(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new AppError("STORE_CONFIG", `cannot read ${what} "${path}"`, { cause });
  }
}

/** Token servers say `{error, error_description}`, Google's interfaces `{error: {status, message}}`. */
function oauthWords(said: Readonly<Record<string, unknown>> | undefined): { name: string; message: string } {
  const { error, error_description: description } = said ?? {};
  if (typeof error === "object" && error !== null) {
    const { status, code, message } = error as Readonly<Record<string, unknown>>; // an object, as was just seen
    return { name: text(status) || text(code), message: text(message) };
  }
  return { name: text(error), message: text(description) };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined; // a gateway's page in between: its status tells enough
  }
}
