import { judge } from "../../../src/progress/conformance.ts";
import { BrokenLaw, target } from "../target.ts";

/** A history byte by byte: liars, broken clocks, crashes and restarts. */
export const progress = target<Uint8Array>({
  name: "progress",
  covers: "histories of whole trees of operations, judged by the laws of progress after every step",
  make: (random) =>
    Uint8Array.from({ length: 8 + random.below(random.oneIn(20) ? 2000 : 152) }, () => random.below(256)),
  run(given) {
    const [fault] = judge(given).faults;
    if (fault !== undefined) throw new BrokenLaw(fault);
  },
});
