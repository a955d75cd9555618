import { type Estimator, evenWork } from "../estimator.ts";
import { span } from "../run.ts";

/** The mean rate of the last two minutes: flows whose past says nothing about their rest. */
export const recentWindow: Estimator = {
  name: "window",
  work: evenWork,
  pace({ run }) {
    const { ms, units } = span(run.recent);
    return units > 0 && ms > 0 ? ms / units : undefined;
  },
};
