import { Alert } from "@patternfly/react-core";
import { server } from "../server.ts";
import { useAsked } from "../use-asked.ts";

/** Clusters that do not answer: what is shown of them is as old as their last word. */
export function Unreachable() {
  const { value = [] } = useAsked("clusters", (signal) => server.clusters(signal), 10_000);
  return value
    .filter(({ error }) => error !== undefined)
    .map(({ name, error }) => (
      <Alert
        key={name}
        isInline
        variant="warning"
        className="hw-away"
        component="h2"
        title={`Cluster ${name} cannot be reached`}
      >
        Its operations are shown as they were when it last answered. {error}
      </Alert>
    ));
}
