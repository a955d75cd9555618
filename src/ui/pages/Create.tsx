import { PageSection } from "@patternfly/react-core";
import type { CreateWhat } from "../route.ts";
export function Create(_props: {
  readonly what: CreateWhat;
  readonly from: string | undefined;
  readonly writes: boolean;
}) {
  return <PageSection>soon</PageSection>;
}
