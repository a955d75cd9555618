import { gzipSync } from "node:zlib";
import { readArchive } from "../../../src/engines/restore/archive/read.ts";
import { Spool } from "../../../src/engines/restore/archive/spool.ts";
import { tar } from "../../harness/tar.ts";
import { chunked, mutateBytes, streamed } from "../bytes.ts";
import { mutateJson } from "../json.ts";
import { Random } from "../random.ts";
import * as samples from "../samples.ts";
import { target } from "../target.ts";
import { someTar } from "./tar.ts";

const limits = { fileBytes: 1 << 18, entries: 100, totalBytes: 1 << 22, ratio: 250, ratioFromBytes: 1 << 16 };

export const archives = target<Uint8Array>({
  name: "archives",
  covers: "whole archives of backups: compression, tar, names of entries, items, the spool",
  make(random) {
    const blocks = random.oneIn(2) ? someTar(random) : items(random);
    const packed = gzipSync(random.oneIn(4) ? mutateBytes(random, blocks) : blocks, { level: 1 });
    return random.oneIn(3) ? mutateBytes(random, packed) : packed;
  },
  async run(given) {
    const spool = await Spool.open();
    try {
      const choice = { keeps: () => true, selects: () => true, limits };
      const source = streamed(chunked(new Random(given.length), given));
      const { items: count } = await readArchive(source, spool, choice, new AbortController().signal);
      for (let i = 0; i < count; i += 1) await spool.read(i);
    } finally {
      await spool.close();
    }
  },
});

function items(random: Random): Buffer {
  const names = Object.keys(samples.items);
  const entries = Array.from({ length: 1 + random.size(6) }, () => {
    const name = random.of(names);
    const item = samples.items[name] ?? null;
    return { name, body: JSON.stringify(random.oneIn(2) ? item : mutateJson(random, item)) };
  });
  return tar([{ name: "metadata/version", body: "1.1.0\n" }, ...entries]);
}
