// Each name, followed by its character.
const ASCII =
  'excl! quot" QUOT" num# dollar$ percnt% amp& AMP& apos\' lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; lt< LT< equals= gt> GT> quest? ' +
  "commat@ lbrack[ lsqb[ bsol\\ rbrack] rsqb] Hat^ lowbar_ UnderBar_ grave` lbrace{ lcub{ verbar| vert| rbrace} rcub}";

// The names of the characters from U+00A0 to U+00FF, in order.
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo " +
  "frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute " +
  "Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
const LATIN_START = 0xa0;

/** The characters of ASCII and Latin-1 by their HTML names. */
export const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...ASCII.split(" ").map((each) => [each.slice(0, -1), each.slice(-1)] as const),
  ...LATIN.split(" ").map((name, at) => [name, String.fromCharCode(LATIN_START + at)] as const),
]);

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Returns a text in which no character has a meaning in HTML. */
export function withoutMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}
