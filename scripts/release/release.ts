import { makeFolder } from "./place.ts";
import { makeBinary } from "./binary.ts";
makeFolder();
await makeBinary();
