/** The catalogue of mistakes in a schedule. */
export const SCHEDULE_CODES = {
  "playbook.schedule-cron": {
    title: "a cron pattern cannot be read, or never fires",
    meaning:
      "The pattern says when the playbook runs: minute, hour, day of the month, month and weekday. A pattern such as 0 0 30 2 * asks for a day that never comes, so the playbook would never run, and nobody would be notified.",
    cure: 'Write five fields, as in "15 2 * * *" for every day at 02:15; `tokenbook schedule list --next 5 FILE` shows when it fires.',
    example: "schedule-never",
  },
  "playbook.schedule-time": {
    title: "the times of a schedule do not fit together",
    meaning:
      "A jitter as long as the time between two firings would let one overtake the other. A time limit of zero would stop every run at once.",
    cure: "Use a jitter shorter than the interval, and a timeLimit longer than a run.",
    example: "schedule-jitter",
  },
  "playbook.schedule-zone": {
    title: "an unknown time zone",
    meaning: "The zone decides by which clock the playbook runs, with its summer time. The system knows no zone of this name.",
    cure: "Use the suggested name, a name such as Europe/Paris, or UTC.",
    example: "schedule-zone",
  },
} as const;
