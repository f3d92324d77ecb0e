import { TableLayout } from "../../../src/sql/layout.ts";

/** A table whose rows all have the same number. */
export const NUMBERS: TableLayout = new TableLayout(["CREATE TABLE number (round INTEGER, filling TEXT) STRICT"]);

/** As many as fill some pages of the file. */
export const ROWS = 60;
