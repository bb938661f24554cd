export const english = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
export const upper = english.map((name) => name.toUpperCase());
export const german = ["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"];
export const all = { english, upper, german };
