import { type Estimator, evenWork } from "../estimator.ts";
import { span } from "../run.ts";

/** The mean rate since the start: steady flows and those that take turns between fast and slow. */
export const lifetime: Estimator = {
  name: "lifetime",
  work: evenWork,
  pace({ run }) {
    const { ms, units } = span(run.marks);
    return units > 0 && ms > 0 ? ms / units : undefined;
  },
};
