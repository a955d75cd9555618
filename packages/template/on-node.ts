import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Crypto, Ports } from "./functions/define.ts";

/** Checksums and ciphers of Node. */
export const nodeCrypto: Crypto = {
  digest: (algorithm, bytes) => createHash(algorithm).update(bytes).digest("hex"),
  aes256Cbc(direction, key, iv, blocks) {
    const make = direction === "encrypt" ? createCipheriv : createDecipheriv;
    // sprig pads and unpads itself, and forgives what a library would not.
    const cipher = make("aes-256-cbc", key, iv).setAutoPadding(false);
    return Buffer.concat([cipher.update(blocks), cipher.final()]);
  },
};

/** What templates may see of a Node process everywhere: its clock, randomness and ciphers; neither environment nor network. */
export const nodePorts: Ports = {
  nowMs: () => Date.now(),
  random: (count) => randomBytes(count),
  crypto: nodeCrypto,
};
