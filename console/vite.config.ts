import preact from "@preact/preset-vite";
import { defineConfig } from "vitest/config";

// The server that `npm run dev` sends API calls to.
const SERVER = process.env.ACTAE_URL ?? "http://127.0.0.1:8002";

export default defineConfig({
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false })],
  build: {
    outDir: "../src/actae/transport/console/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the policy of the page allows no data: scripts or styles
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { "/api": SERVER, "/metrics": SERVER, "/docs": SERVER } },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"] },
});
