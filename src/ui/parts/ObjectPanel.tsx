import {
  Button,
  DrawerActions,
  DrawerCloseButton,
  DrawerHead,
  DrawerPanelContent,
  Spinner,
  Tab,
  Tabs,
  TabTitleText,
  Title,
} from "@patternfly/react-core";
import { useState } from "react";
import { type Place, server } from "../server.ts";
import { useAsked } from "../use-asked.ts";

interface ObjectPanelProps {
  readonly place: Place;
  readonly title: string;
  /** Asks again when it changes, so that the text is that of the state one sees. */
  readonly version: string;
  readonly onClose: () => void;
}

/** The object as YAML and its log, beside the page. */
export function ObjectPanel({ place, title, version, onClose }: ObjectPanelProps) {
  const [tab, setTab] = useState<string | number>("yaml");
  return (
    <DrawerPanelContent defaultSize="44%" minSize="320px" isResizable resizeAriaLabel="Width of the panel">
      <DrawerHead>
        <Title headingLevel="h2" size="lg" tabIndex={-1}>
          {title}
        </Title>
        <DrawerActions>
          <DrawerCloseButton onClick={onClose} aria-label="Close the panel" />
        </DrawerActions>
        <Tabs activeKey={tab} onSelect={(_event, key) => setTab(key)} aria-label="What to show of the object">
          <Tab eventKey="yaml" title={<TabTitleText>YAML</TabTitleText>}>
            <Yaml place={place} version={version} />
          </Tab>
          <Tab eventKey="log" title={<TabTitleText>Log</TabTitleText>}>
            {tab === "log" && <Log place={place} version={version} />}
          </Tab>
        </Tabs>
      </DrawerHead>
    </DrawerPanelContent>
  );
}

function Yaml({ place, version }: { readonly place: Place; readonly version: string }) {
  const { value, error } = useAsked(`${place.kind} ${place.name} ${version}`, async (signal) => {
    const [object, { stringify }] = await Promise.all([server.object(place, signal), import("yaml")]);
    return stringify(object, { lineWidth: 0 });
  });
  return <Text text={value} error={error} name="YAML" />;
}

function Log({ place, version }: { readonly place: Place; readonly version: string }) {
  const { value, error } = useAsked(`${place.kind} ${place.name} ${version}`, (signal) =>
    server.log(place, signal),
  );
  return <Text text={value} error={value === undefined ? error : undefined} name="Log" />;
}

function Text({
  text,
  error,
  name,
}: {
  readonly text: string | undefined;
  readonly error: string | undefined;
  readonly name: string;
}) {
  if (error !== undefined && text === undefined) return <p className="hw-subtle hw-panel__note">{error}</p>;
  if (text === undefined) return <Spinner size="md" aria-label={`Reading the ${name}`} />;
  return (
    <>
      <Button variant="link" onClick={() => void navigator.clipboard.writeText(text)}>
        Copy
      </Button>
      <pre className="hw-text" tabIndex={0} aria-label={name}>
        {text}
      </pre>
    </>
  );
}
