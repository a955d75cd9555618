import { Button, EmptyState, EmptyStateBody, EmptyStateFooter, PageSection } from "@patternfly/react-core";

/** An address that nothing belongs to. */
export function Unknown() {
  return (
    <PageSection>
      <EmptyState titleText="Page not found" headingLevel="h1">
        <EmptyStateBody>The address does not name an operation or a page.</EmptyStateBody>
        <EmptyStateFooter>
          <Button component="a" href="/" variant="link">
            All operations
          </Button>
        </EmptyStateFooter>
      </EmptyState>
    </PageSection>
  );
}
