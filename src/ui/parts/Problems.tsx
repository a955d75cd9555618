import { Alert, AlertGroup } from "@patternfly/react-core";
import type { Problem } from "../problems.ts";

/** What a person should know first, most urgent on top. */
export function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <AlertGroup className="hw-problems" aria-label="Problems">
      {problems.map(({ key, level, title, text, advice }) => (
        <Alert key={key} isInline variant={level} title={title} component="h2">
          {text !== undefined && <p className="hw-said">{text}</p>}
          {advice !== undefined && <p>{advice}</p>}
        </Alert>
      ))}
    </AlertGroup>
  );
}
