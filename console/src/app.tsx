/** Who is signed in decides what is shown: the sign-in page, or the shell with one page in it. */

import { useEffect } from "preact/hooks";
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from "preact-iso";
import { NotFound } from "./pages/not-found";
import { SignIn } from "./pages/sign-in";
import { learnWho, standing } from "./session";
import { Shell } from "./shell";

const Runs = lazy(() => import("./pages/runs/page").then((it) => it.Runs));
const Run = lazy(() => import("./pages/run/page").then((it) => it.Run));
const Ledger = lazy(() => import("./pages/ledger/page").then((it) => it.Ledger));
const Operation = lazy(() => import("./pages/operation/page").then((it) => it.Operation));
const Approvals = lazy(() => import("./pages/approvals/page").then((it) => it.Approvals));
const Forks = lazy(() => import("./pages/forks/page").then((it) => it.Forks));
const Compare = lazy(() => import("./pages/compare/page").then((it) => it.Compare));
const Health = lazy(() => import("./pages/health/page").then((it) => it.Health));
const Keys = lazy(() => import("./pages/keys/page").then((it) => it.Keys));
const Find = lazy(() => import("./pages/find/page").then((it) => it.Find));

/** A path that is no text, such as one with half a character, would end the router. */
function isText(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

export function App() {
  useEffect(() => {
    void learnWho();
  }, []);
  switch (standing.value.kind) {
    case "unknown":
      return (
        <p class="waiting" role="status">
          Loading…
        </p>
      );
    case "signed-out":
      return <SignIn reason={standing.value.reason} />;
    case "signed-in":
      if (!isText(location.pathname)) return <NotFound />;
      return (
        <LocationProvider>
          <ErrorBoundary>
            <Shell>
              <Router>
                <Route path="/" component={Runs} />
                <Route path="/runs" component={Runs} />
                <Route path="/runs/:channel" component={Run} />
                <Route path="/find" component={Find} />
                <Route path="/ledger" component={Ledger} />
                <Route path="/operations/:id" component={Operation} />
                <Route path="/approvals" component={Approvals} />
                <Route path="/forks/:channel" component={Forks} />
                <Route path="/compare" component={Compare} />
                <Route path="/health" component={Health} />
                <Route path="/keys" component={Keys} />
                <Route default component={NotFound} />
              </Router>
            </Shell>
          </ErrorBoundary>
        </LocationProvider>
      );
  }
}
