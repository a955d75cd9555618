import {
  Button,
  Dropdown,
  DropdownItem,
  DropdownList,
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadLogo,
  MastheadMain,
  MenuToggle,
  SkipToContent,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from "@patternfly/react-core";
import { MoonIcon } from "@patternfly/react-icons/dist/esm/icons/moon-icon";
import { SunIcon } from "@patternfly/react-icons/dist/esm/icons/sun-icon";
import { useState } from "react";
import { go, useRoute } from "../navigate.ts";
import { createWhats } from "../route.ts";
import { chooseTheme, useDark } from "../theme.ts";

/** The bar above every page. */
export function TopBar({ writes, isLive }: { readonly writes: boolean; readonly isLive: boolean }) {
  return (
    <>
      <SkipToContent href="#main">Skip to content</SkipToContent>
      <Masthead className="hw-top" display={{ default: "inline" }}>
        <MastheadMain>
          <MastheadBrand>
            <MastheadLogo href="/" component="a" aria-label="Headway: overview">
              <span className="hw-brand">
                <img src="/favicon.svg" alt="" width={26} height={26} />
                <span className="hw-brand__word">Headway</span>
              </span>
            </MastheadLogo>
          </MastheadBrand>
        </MastheadMain>
        <MastheadContent>
          <Toolbar isFullHeight isStatic>
            <ToolbarContent alignItems="center">
              <ToolbarItem>
                <Places />
              </ToolbarItem>
              <ToolbarItem>
                <span className={`hw-live${isLive ? " hw-live--on" : ""}`}>
                  <span className="hw-live__word">{isLive ? "Live" : "Not connected"}</span>
                </span>
              </ToolbarItem>
              <ToolbarItem align={{ default: "alignEnd" }}>{writes && <StartMenu />}</ToolbarItem>
              <ToolbarItem>
                <ThemeButton />
              </ToolbarItem>
            </ToolbarContent>
          </Toolbar>
        </MastheadContent>
      </Masthead>
    </>
  );
}

const places = [
  ["/", "Overview", "overview"],
  ["/operations", "Operations", "operations"],
  ["/schedules", "Schedules", "schedules"],
] as const;

function Places() {
  const { page } = useRoute();
  return (
    <nav aria-label="Places" className="hw-places">
      {places.map(([address, words, name]) => (
        <a key={name} href={address} {...(page === name && { "aria-current": "page" as const })}>
          {words}
        </a>
      ))}
    </nav>
  );
}

const startWords = {
  backup: ["Backup", "of namespaces and their volumes"],
  restore: ["Restore", "from a backup"],
  action: ["Action", "from a blueprint"],
  migration: ["Migration", "from a plan"],
} as const;

function StartMenu() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dropdown
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSelect={() => setOpen(false)}
      popperProps={{ position: "right", appendTo: "inline" }}
      toggle={(ref) => (
        <MenuToggle ref={ref} variant="primary" isExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Start
        </MenuToggle>
      )}
    >
      <DropdownList>
        {createWhats.map((what) => (
          <DropdownItem key={what} description={startWords[what][1]} onClick={() => go(`/create/${what}`)}>
            {startWords[what][0]}
          </DropdownItem>
        ))}
      </DropdownList>
    </Dropdown>
  );
}

function ThemeButton() {
  const isDark = useDark();
  return (
    <Button
      variant="plain"
      aria-label={isDark ? "Use the light theme" : "Use the dark theme"}
      icon={isDark ? <SunIcon /> : <MoonIcon />}
      onClick={() => chooseTheme(isDark ? "light" : "dark")}
    />
  );
}
