import { render } from "preact";
import { App } from "./app";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";

const place = document.getElementById("app");
if (place !== null) render(<App />, place);
