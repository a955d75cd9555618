import type { IncomingMessage } from "node:http";
import { lines } from "../../../packages/wire/index.ts";
import { ApiError, builtIn } from "../../../src/kube/index.ts";
import type { Transport } from "../../../src/kube/transport.ts";
import { watch } from "../../../src/kube/watch.ts";
import { chunked, mutateBytes, streamed } from "../bytes.ts";
import { mutateJson } from "../json.ts";
import { Random } from "../random.ts";
import { BrokenLaw, target } from "../target.ts";

const events = [
  {
    type: "ADDED",
    object: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "b", resourceVersion: "1" } },
  },
  { type: "BOOKMARK", object: { metadata: { resourceVersion: "2" } } },
  { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired", message: "too old" } },
  {
    type: "DELETED",
    object: { apiVersion: "v1", kind: "Pod", metadata: { name: "é☃", resourceVersion: "3" } },
  },
];

/** The bytes of a watch. */
export const watches = target<Uint8Array>({
  name: "watches",
  covers: "lines of a watch in pieces cut anywhere, and the events in them",
  make(random) {
    const text = Array.from({ length: 1 + random.size(5) }, () =>
      JSON.stringify(random.oneIn(2) ? mutateJson(random, random.of(events)) : random.of(events)),
    ).join("\n");
    const bytes = Buffer.from(`${text}\n`);
    return random.oneIn(2) ? bytes : mutateBytes(random, bytes);
  },
  async run(given) {
    const pieces = chunked(new Random(given.length), given, 20).map((piece) => Buffer.from(piece));
    const [whole, cut] = [await all([Buffer.from(given)]), await all(pieces)];
    if (whole.join("\n") !== cut.join("\n")) throw new BrokenLaw("pieces make other lines than the whole");
    const transport = {
      stream: async () => streamed(pieces) as unknown as IncomingMessage,
      explain,
    } as unknown as Transport; // what a watch uses
    for await (const event of watch(transport, builtIn.pods, {}, new AbortController().signal)) {
      if (typeof event.resourceVersion !== "string") throw new BrokenLaw("a version that is no text");
    }
  },
  refusals: [ApiError],
});

async function all(pieces: readonly Buffer[]): Promise<string[]> {
  return Array.fromAsync(lines(streamed(pieces), { limitBytes: 1 << 20 }));
}

/** As the transport does: what breaks a connection is told so. */
function explain(error: unknown): unknown {
  const isBroken = error instanceof Error && "code" in error && error.code === "ECONNRESET";
  return isBroken ? new ApiError("watch", { code: 0, reason: "", message: error.message }) : error;
}
