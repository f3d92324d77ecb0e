import { pino } from "pino";

/** How much attention a log line needs, the least first. */
export type Level = "info" | "warn" | "error";

/** Logs what a schedule does: an event name for programs, a line for people, and what it is about. */
export type Log = (level: Level, event: string, message: string, about?: Readonly<Record<string, unknown>>) => void;

/** Writes each line as JSON with its time (ISO 8601, UTC). The caller masks secrets. */
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

/** Writes each line as plain text, for a person who watches. */
export function plainLog(write: (line: string) => void): Log {
  return (level, _event, message) => {
    const time = new Date().toISOString().slice(0, 19).replace("T", " ");
    write(`${time}Z ${MARKS[level]} ${message.replaceAll("\n", "\n    ")}\n`);
  };
}
