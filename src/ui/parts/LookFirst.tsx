import { Alert, Button, FormGroup } from "@patternfly/react-core";
import { useEffect, useRef, useState } from "react";
import type { KubeObject } from "../../api/index.ts";
import {
  needsLook,
  type RestorePlan,
  reasonOf,
  verdicts,
  verdictWords,
  volumeTimeWords,
  wholeTimeWords,
} from "../../kinds/index.ts";
import { formatBytes } from "../../progress/index.ts";
import { server } from "../server.ts";

interface LookFirstProps {
  readonly manifest: KubeObject;
  readonly cluster: string;
}

/** What was found out, and of which Restore: a plan of what the form said before is no plan of what it says now. */
interface Looked {
  readonly of: string;
  readonly plan?: RestorePlan;
  readonly error?: string;
}

/** The step before "Start" of a restore: what would become of each object. */
export function LookFirst({ manifest, cluster }: LookFirstProps) {
  const key = `${cluster} ${JSON.stringify(manifest)}`;
  const [looked, setLooked] = useState<Looked>();
  const [isLooking, setLooking] = useState(false);
  const asking = useRef<AbortController>(undefined);
  useEffect(() => () => asking.current?.abort(), []);
  const look = async () => {
    asking.current?.abort();
    const stop = new AbortController();
    asking.current = stop;
    setLooking(true);
    try {
      const plan = await server.plan(manifest, cluster, stop.signal);
      if (!stop.signal.aborted) setLooked({ of: key, plan });
    } catch (failure) {
      const error = failure instanceof Error ? failure.message : String(failure);
      if (!stop.signal.aborted) setLooked({ of: key, error });
    }
    if (!stop.signal.aborted) setLooking(false);
  };
  const shown = looked?.of === key ? looked : undefined;
  return (
    <FormGroup label="What it will do" role="group" fieldId="look">
      <Button
        id="look"
        variant="secondary"
        isLoading={isLooking}
        isDisabled={isLooking}
        onClick={() => void look()}
      >
        {looked && !shown ? "Show the plan again: the form has changed" : "Show the plan"}
      </Button>
      {shown?.error !== undefined && (
        <Alert isInline variant="danger" title="There is no plan" component="h2">
          {shown.error}
        </Alert>
      )}
      {shown?.plan && <PlanView plan={shown.plan} />}
    </FormGroup>
  );
}

function PlanView({ plan }: { readonly plan: RestorePlan }) {
  if (plan.faults.length > 0)
    return (
      <Alert isInline variant="danger" title="The restore would be refused as a whole" component="h2">
        <ul>
          {plan.faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      </Alert>
    );
  const noted = plan.items.filter(({ verdict }) => needsLook(verdict));
  const inTheWay = plan.counts.conflict + plan.counts.refused + plan.counts.unknown;
  return (
    <section aria-label="Plan" className="hw-plan">
      <Alert
        isInline
        variant={inTheWay > 0 ? "warning" : "success"}
        title={inTheWay > 0 ? lookWords(inTheWay) : "Nothing stands in the way"}
        component="h2"
      />
      <dl className="hw-plan-sums">
        {verdicts
          .filter((verdict) => plan.counts[verdict] > 0)
          .map((verdict) => (
            <Sum key={verdict} title={verdict} words={`${plan.counts[verdict]} ${verdictWords[verdict]}`} />
          ))}
        {plan.notAsked > 0 && (
          <Sum title="not asked" words={`${plan.notAsked} about which admission could not be asked yet`} />
        )}
        {plan.volumes.length > 0 && (
          <Sum title="volumes" words={`${plan.volumes.length} with ${formatBytes(plan.bytes)}`} />
        )}
        {plan.hooks > 0 && <Sum title="hooks" words={`${plan.hooks} commands in restored pods`} />}
        <Sum title="time" words={wholeTimeWords(plan.time)} />
        {plan.hidden.length > 0 && (
          <Sum title="not shown" words={`${plan.hidden.join(", ")}: you may not read them`} />
        )}
      </dl>
      <Listing
        label="Items that need a look"
        lines={noted.map((item) => {
          const place = item.namespace === undefined ? item.name : `${item.namespace}/${item.name}`;
          return `${item.verdict} ${item.resource} ${place}: ${reasonOf(item)}`;
        })}
      />
      <Listing
        label="Volumes"
        lines={plan.volumes.slice(0, maxVolumes).map(({ namespace, name, method, bytes, time, leftOut }) => {
          const size = bytes === undefined ? [] : [formatBytes(bytes)];
          const end = leftOut ?? (time ? volumeTimeWords(time) : undefined);
          return [`${namespace}/${name}`, method, ...size, ...(end === undefined ? [] : [end])].join(", ");
        })}
      />
    </section>
  );
}

function lookWords(items: number): string {
  return items === 1 ? "1 item needs a look" : `${items} items need a look`;
}

/** More than a screen of volumes is for the command. */
const maxVolumes = 100;

function Sum({ title, words }: { readonly title: string; readonly words: string }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>{words}</dd>
    </>
  );
}

function Listing({ label, lines }: { readonly label: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul aria-label={label} className="hw-subtle">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
