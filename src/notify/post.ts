import { request as plain } from "node:http";
import { request as secure } from "node:https";
import { messageOf } from "../errors.ts";
import { Refused } from "./refused.ts";
import type { Answer, Outgoing } from "./telling.ts";

const limitMs = 10_000;
/** More of an answer is not read. */
const mostBytes = 64 << 10;
const longestAfterMs = 3_600_000;

/**
 * Sends one request and takes its answer. It goes to the address that was named and nowhere else: redirects are refusals, and no
 * proxy of the environment is asked. Nothing is said of the address in errors, since it may be a secret itself.
 */
export async function post(out: Outgoing, ca: string | undefined, signal: AbortSignal): Promise<Answer> {
  const both = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  let answer: Answer & { readonly retryAfter: string | undefined };
  try {
    answer = await exchange(out, ca, both);
  } catch (error) {
    signal.throwIfAborted();
    const why = both.aborted ? `no answer within ${limitMs / 1000} s` : messageOf(error);
    throw new Refused(why, { retry: true });
  }
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  const afterMs = afterOf(answer.retryAfter);
  const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
  const words = answer.body.replace(/\s+/g, " ").slice(0, 200);
  throw new Refused(`it answered ${status}${words === "" ? "" : `: ${words}`}`, {
    retry: isPassing,
    afterMs,
  });
}

function exchange(
  { url, headers, body }: Outgoing,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<Answer & { readonly retryAfter: string | undefined }> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    const send = target.protocol === "https:" ? secure : plain;
    const length = String(Buffer.byteLength(body));
    const sent = send(target, {
      method: "POST",
      headers: { "user-agent": "headway", ...headers, "content-length": length },
      // A connection of its own: messages are rare, and one that died in the meantime would cost a retry.
      agent: false,
      signal,
      ...(ca !== undefined && { ca }),
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        if (bytes < mostBytes) chunks.push(chunk.subarray(0, mostBytes - bytes));
        bytes += chunk.length;
      });
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          body: text,
          retryAfter: response.headers["retry-after"],
        });
      });
    });
    sent.end(body);
  });
}

/** Seconds; dates are not worth their trouble here. */
function afterOf(header: string | undefined): number | undefined {
  const seconds = Number(header);
  return header === undefined || !(seconds > 0) ? undefined : Math.min(longestAfterMs, seconds * 1000);
}
