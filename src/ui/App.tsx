import { Bullseye, Page, PageSection, Spinner } from "@patternfly/react-core";
import { useEffect, useState } from "react";
import type { About } from "../observe/index.ts";
import { dropToken, keepToken, shareToken, takeToken } from "./access.ts";
import { followLink, useRoute } from "./navigate.ts";
import { Create } from "./pages/Create.tsx";
import { OneOperation } from "./pages/OneOperation.tsx";
import { Operations } from "./pages/Operations.tsx";
import { Overview } from "./pages/Overview.tsx";
import { Schedules } from "./pages/Schedules.tsx";
import { SignIn } from "./pages/SignIn.tsx";
import { Unknown } from "./pages/Unknown.tsx";
import { StreamBanner } from "./parts/StreamBanner.tsx";
import { TopBar } from "./parts/TopBar.tsx";
import { idOf } from "./route.ts";
import { server } from "./server.ts";
import { store, useKnown } from "./state.ts";

/** The whole page: connects, and shows what its address asks for. */
export function App() {
  const [token, setToken] = useState(takeToken);
  const [about, setAbout] = useState<About>({ writes: false, objects: false, several: false });
  const { connection, isLoaded } = useKnown();
  useEffect(() => {
    const stop = new AbortController();
    void store.run(token, stop.signal);
    return () => stop.abort();
  }, [token]);
  useEffect(() => shareToken(setToken), []);
  useEffect(() => {
    // An older server does not say what it can: then nothing is offered.
    server.about().then(setAbout, () => undefined);
  }, []);
  const enter = (given: string) => {
    keepToken(given);
    setToken(given);
  };
  const refused = connection.state === "refused" ? connection.why : undefined;
  // Once for each refusal: while the next token is tried the old refusal is still shown, and must not drop that one, too.
  useEffect(() => {
    if (connection.state === "refused") dropToken();
  }, [connection]);
  return (
    // Links inside the page are followed without loading it anew; the links themselves are real ones.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events jsx-a11y/no-static-element-interactions
    <div className="hw-page" onClick={followLink}>
      <Page
        masthead={
          <TopBar writes={about.writes && refused === undefined} isLive={connection.state === "live"} />
        }
        mainContainerId="main"
        mainTabIndex={-1}
        mainAriaLabel="Headway"
      >
        <StreamBanner connection={connection} />
        {refused !== undefined ? (
          <SignIn why={refused} hadToken={token !== undefined} onToken={enter} />
        ) : isLoaded ? (
          <Shown about={about} />
        ) : (
          <PageSection>
            <Bullseye>
              <Spinner aria-label="Reading the cluster" />
            </Bullseye>
          </PageSection>
        )}
      </Page>
    </div>
  );
}

function Shown({ about }: { readonly about: About }) {
  const route = useRoute();
  switch (route.page) {
    case "overview":
      return <Overview about={about} />;
    case "schedules":
      return <Schedules about={about} />;
    case "operations":
      return <Operations filters={route.filters} about={about} />;
    case "operation":
      return <OneOperation key={idOf(route)} route={route} about={about} />;
    case "create":
      return <Create key={route.what} route={route} about={about} />;
    case "unknown":
      return <Unknown />;
  }
}
