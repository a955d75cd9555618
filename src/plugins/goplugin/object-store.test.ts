import { expect, test } from "vitest";
import type { GrpcConnection } from "./grpc.ts";
import { ProgramStore } from "./object-store.ts";

test("ProgramStore tells of an answer that is no message as of any other failure", async () => {
  const connection = { unary: async () => Uint8Array.of(0x0a, 0xff) } as unknown as GrpcConnection; // a text that is cut off
  const store = new ProgramStore({ plugin: "p", bucket: "b", connection: async () => connection });
  await expect(store.head("a")).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: 'look for "a" in bucket "b" of plugin "p": a number is cut off',
  });
});
