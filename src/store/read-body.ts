import { AppError } from "../errors.ts";
import type { HttpAnswer } from "./http.ts";
import { type Attempt, explainRefusal, networkRefusal } from "./refusal.ts";

/** The bytes of an answer; fails when it ends before its announced length. A reader that stops early closes the connection. */
export async function* bodyOf(
  { body, headers }: HttpAnswer,
  attempt: Attempt,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const announced = headers["content-length"];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw explainRefusal(networkRefusal(error), attempt);
  } finally {
    body.destroy();
  }
  signal?.throwIfAborted();
  if (announced !== undefined && bytes !== Number(announced)) {
    const found = `it ended after ${bytes} of ${announced} bytes`;
    throw new AppError("STORE_UNREACHABLE", `cannot read "${attempt.key}" in ${attempt.place}: ${found}`);
  }
}
