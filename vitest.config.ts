import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores: more processes than that only wait for one another.
    maxWorkers: 2,
    globalSetup: ["test/build.ts"],
  },
});

export default config;
