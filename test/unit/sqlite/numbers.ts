import { TableLayout } from "../../../src/sql/layout.ts";

/** A table in which all rows have the same number. */
export const NUMBERS: TableLayout = new TableLayout(["CREATE TABLE number (round INTEGER, filling TEXT) STRICT"]);

/** Enough rows to fill several pages of the file. */
export const ROWS = 60;
