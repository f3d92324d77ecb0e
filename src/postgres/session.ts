/** The setting by which a session that tokenbook has prepared is known again. */
export const MARK_OF_SESSION = "tokenbook.session";

/**
 * What each session of the state and of the queue sets, because a server, a database or a role may have other values. With these, writes could
 * fail, acknowledged data could be lost, rows could be hidden, and texts and times could be spelled differently.
 */
export const SESSION = `
SET default_transaction_isolation = 'read committed';
SET default_transaction_read_only = off;
SET standard_conforming_strings = on;
SET DateStyle = 'ISO';
SET row_security = off;
SET client_min_messages = warning;
SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('idle_session_timeout', 'transaction_timeout');
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local');
`;

/**
 * Returns whether a notice of the server says that no standby has confirmed a commit, because somebody has ended the wait for it. The server reports
 * success all the same. We look for the name of its function, because the text can be in any language.
 */
export function isUnconfirmed({ routine }: { readonly routine?: string | undefined }): boolean {
  return routine === "SyncRepWaitForLSN";
}
