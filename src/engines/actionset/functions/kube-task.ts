import { AppError } from "../../../errors.ts";
import { PhaseOutput } from "../phase-output.ts";
import { labelsOf } from "../pod/identity.ts";
import { type Job, type JobEnd, runJob, startingStep } from "../pod/job.ts";
import { podManifest, type WantedPod } from "../pod/pod-spec.ts";
import type { Output } from "../status.ts";
import type { Call, Func } from "./call.ts";

/** KubeTask: a command in a pod of its own. */
export const kubeTask: Func = (call) => {
  const { args, setLabels } = call;
  const job = setLabels["kanister.io/JobID"];
  return runTask(call, {
    prefix: "kanister-job-",
    namespace: args.text("namespace", call.deps.namespace),
    image: args.need("image"),
    command: args.texts("command"),
    ...(job !== undefined && { labels: { "kanister.io/JobID": job } }),
  });
};

/** PrepareData: a command in a pod with the volumes of the workload; its failure counts only when the blueprint says so. */
export const prepareData: Func = async (call) => {
  const { args, params } = call;
  const given = args.textMap("volumes");
  const claims = Object.values(params.workload?.claims ?? {}).flatMap((one) => Object.keys(one));
  const volumes = args.has("volumes")
    ? given
    : Object.fromEntries(claims.map((claim) => [claim, `/mnt/prepare_data/${claim}`]));
  return runTask(
    call,
    {
      prefix: "prepare-data-job-",
      namespace: args.need("namespace"),
      image: args.need("image"),
      command: args.texts("command"),
      volumes,
      serviceAccount: args.text("serviceaccount") || undefined,
    },
    args.flag("failOnError", false),
  );
};

/** Runs a command in a pod through its three steps. */
async function runTask(call: Call, wanted: WantedPod, failOnError = true): Promise<Output> {
  const manifest = () => podManifest(complete(call, wanted), call.deps.options.podDefaults);
  return runPod(call, { namespace: wanted.namespace, container: "container", manifest }, failOnError);
}

/** Runs a pod through its three steps; the outputs are what one of its containers prints. */
export async function runPod(
  call: Call,
  job: Pick<Job, "namespace" | "container" | "manifest" | "waitsForAll">,
  failOnError = true,
): Promise<Output> {
  const output = new PhaseOutput((news) => call.progress.said(news), call.mask);
  call.progress.update({ step: startingStep });
  await runJob(call, {
    ...job,
    onLine: (line) => output.take(line),
    onWaiting: (waitingFor, waitingCause) => call.progress.update({ waitingFor, waitingCause }),
    onRunning: () => call.progress.prepared(),
    onEnded: async (ended) => {
      if (ended.failure !== undefined && failOnError) throw failed(ended, output.lastWords);
      call.progress.executed();
      await call.keep(output.output);
    },
  });
  return output.output;
}

/** What blueprint and ActionSet say of every pod, put into one. */
export function complete(call: Call, wanted: WantedPod, part?: string): WantedPod {
  const { args, params, identity, deps } = call;
  const own = wanted.namespace === deps.namespace ? deps.options.serviceAccount : undefined;
  const account = wanted.serviceAccount ?? own;
  return {
    ...wanted,
    ...(account !== undefined && { serviceAccount: account }),
    overrides: [args.record("podOverride"), params.podOverride],
    labels: {
      ...params.podLabels,
      ...args.textMap("podLabels"),
      ...wanted.labels,
      ...labelsOf(identity, part),
    },
    annotations: { ...params.podAnnotations, ...args.textMap("podAnnotations") },
  };
}

/** The failure of a pod, with its last words. */
function failed({ pod, failure }: JobEnd, lastWords: string): AppError {
  const said = lastWords === "" ? "" : `; its last lines:\n${lastWords}`;
  return new AppError("ACTION_COMMAND", `pod "${pod}": ${failure}${said}`, { retry: false });
}
