import { frames } from "../../../src/plugins/goplugin/grpc.ts";
import { chunked, mutateBytes, streamed } from "../bytes.ts";
import { Random } from "../random.ts";
import { BrokenLaw, target } from "../target.ts";

export const pluginFrames = target<Uint8Array>({
  name: "plugin-frames",
  covers: "gRPC frames in pieces cut anywhere, with lengths that lie",
  make(random) {
    const parts = Array.from({ length: random.size(5) }, () => {
      const body = Buffer.alloc(random.size(200), 7);
      const head = Buffer.alloc(5);
      head.writeUInt32BE(random.oneIn(20) ? random.next() : body.length, 1);
      return Buffer.concat([head, body]);
    });
    const whole = Buffer.concat(parts);
    return random.oneIn(2) ? whole : mutateBytes(random, whole);
  },
  async run(given) {
    let bytes = 0;
    try {
      for await (const frame of frames(streamed(chunked(new Random(given.length), given, 30))))
        bytes += 5 + frame.length;
    } catch (error) {
      if (
        error instanceof Error &&
        error.message.length > 0 &&
        "code" in error &&
        typeof error.code === "number"
      )
        return false; // gRPC's own refusal
      throw error;
    }
    if (bytes !== given.length) throw new BrokenLaw(`${given.length} bytes became ${bytes}`);
    return undefined;
  },
});
