import { target } from "../target.ts";

const kept: unknown[] = [];

/** What the product must never do, done at the tenth case. */
export const trials = {
  crash: trial((at) => {
    if (at === 10) throw new TypeError("a fault");
  }),
  rejection: trial((at) => {
    if (at === 10) void Promise.reject(new Error("nobody waits for it"));
  }),
  hang: trial((at) => {
    while (at === 10) Math.random();
  }),
  silence: trial((at) => (at === 10 ? new Promise((resolve) => setTimeout(resolve, 60_000)) : undefined)),
  heap: trial((at) => {
    for (let i = 0; at === 10 && i < 1e9; i += 1) kept.push(Array.from({ length: 10_000 }, () => i));
  }),
  buffers: trial((at) => {
    for (let i = 0; at === 10 && i < 100; i += 1) kept.push(Buffer.alloc(10 << 20, 1));
  }),
};

function trial(run: (at: number) => unknown) {
  let made = 0;
  return target<number>({ name: "trial", covers: "nothing", make: () => made++, run });
}
