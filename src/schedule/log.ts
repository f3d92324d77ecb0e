import { pino } from "pino";

/** How much attention a line of the log asks for, the least first. */
export type Level = "info" | "warn" | "error";

/** What is said of what a schedule does: a word for programs, a line for people, and what it is about. */
export type Log = (level: Level, event: string, message: string, about?: Readonly<Record<string, unknown>>) => void;

/** A line of JSON each, with its time (ISO 8601, UTC). What is written has been masked by the one who writes. */
export function jsonLog(write: (line: string) => void): Log {
  const logger = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: "message",
    },
    { write: (line) => write(`${line.trimEnd()}\n`) },
  );
  return (level, event, message, about = {}) => logger[level]({ event, ...about }, message);
}

const MARKS: Readonly<Record<Level, string>> = { info: " ", warn: "!", error: "✗" };

/** A plain line each, for somebody who looks on. */
export function plainLog(write: (line: string) => void): Log {
  return (level, _event, message) => {
    const time = new Date().toISOString().slice(0, 19).replace("T", " ");
    write(`${time}Z ${MARKS[level]} ${message.replaceAll("\n", "\n    ")}\n`);
  };
}
