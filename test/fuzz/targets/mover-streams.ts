import { lines } from "../../../packages/wire/index.ts";
import { readMoverLine } from "../../../src/movers/progress-line.ts";
import { chunked, mutateBytes, streamed } from "../bytes.ts";
import { Random } from "../random.ts";
import { BrokenLaw, target } from "../target.ts";
import { recorded } from "./mover-lines.ts";

const samples = recorded.map((text) => Buffer.from(text.slice(0, 4096)));
const limit = 512;

export const moverStreams = target<Uint8Array>({
  name: "mover-streams",
  covers:
    "the output of movers in pieces cut anywhere, within characters too: the same lines come out, none too long",
  make: (random) => mutateBytes(random, random.of(samples), random.of(samples)),
  async run(given) {
    const [whole, cut] = [await all([given]), await all(chunked(new Random(given.length), given, 40))];
    if (whole.join("\n") !== cut.join("\n")) throw new BrokenLaw("pieces make other lines than the whole");
    for (const line of cut) {
      if (line.length > limit) throw new BrokenLaw(`a line of ${line.length} characters`);
      readMoverLine(line);
    }
  },
});

async function all(pieces: readonly Uint8Array[]): Promise<string[]> {
  return Array.fromAsync(lines(streamed(pieces), { limitBytes: limit, returns: "end" }));
}
