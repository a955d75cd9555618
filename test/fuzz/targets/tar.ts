import { TarReader } from "../../../src/engines/restore/archive/tar.ts";
import { pax, type TarEntry, tar } from "../../harness/tar.ts";
import { chunked, mutateBytes } from "../bytes.ts";
import { hostileText } from "../json.ts";
import { Random } from "../random.ts";
import * as samples from "../samples.ts";
import { BrokenLaw, target } from "../target.ts";

const names = ["metadata/version", ...Object.keys(samples.items)];
const limits = { fileBytes: 1 << 16, entries: 50 };

/** Blocks of an archive, honest or forged in every field. */
export function someTar(random: Random): Buffer {
  const entries = Array.from({ length: random.size(6) }, () => anEntry(random));
  return tar(entries, { end: !random.oneIn(10) });
}

function anEntry(random: Random): TarEntry {
  const name = random.of(names);
  const body = name === "metadata/version" ? "1.1.0\n" : JSON.stringify(samples.items[name]);
  const forged: TarEntry = { name, body };
  if (random.oneIn(2)) return forged;
  switch (random.below(8)) {
    case 0:
      return { ...forged, type: random.of(["x", "L", "5", "g", "1", "2", "\0", "7", "K"]) };
    case 1:
      return {
        ...forged,
        size: random.of([
          "77777777777",
          "-1",
          "0000000000a",
          "",
          " 1 1",
          Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]),
        ] as const),
      };
    case 2:
      return { ...forged, name: hostileText(random).slice(0, 100) };
    case 3:
      return { ...forged, prefix: hostileText(random).slice(0, 155) };
    case 4:
      return { ...forged, magic: random.of(["ustar ", "ustar\0", "", "\0\0\0\0\0\0"]) };
    case 5:
      return {
        ...forged,
        type: "x",
        body: pax(random.of(["path", "size", "linkpath", "GNU.sparse.x", "mtime"]), hostileText(random)),
      };
    case 6:
      return { ...forged, type: "L", body: hostileText(random) };
    default:
      return { ...forged, checksum: random.below(100_000) };
  }
}

export const tarBlocks = target<Uint8Array>({
  name: "tar",
  covers: "the reader of tar blocks: forged headers, long names, sizes, pieces cut anywhere",
  make: (random) => (random.oneIn(2) ? someTar(random) : mutateBytes(random, someTar(random))),
  run(given) {
    let held = 0;
    const reader = new TarReader(
      {
        wants: (name) => name.length % 5 !== 0,
        file: (_name, body) => {
          held = Math.max(held, body.length);
        },
      },
      limits,
    );
    for (const chunk of chunked(new Random(given.length), given, 12)) reader.push(chunk);
    reader.end();
    if (held > limits.fileBytes) throw new BrokenLaw(`a file of ${held} bytes was taken`);
  },
});
