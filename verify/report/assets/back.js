// The way back to the overview keeps the table's filter, which came with the address.
"use strict";
const back = document.getElementById("back");
const state = location.hash.slice(1);
const here = location.pathname.split("/").pop().replace(/\.html$/, "");
back.hash = (state.includes("=") ? state + "&" : "") + "at=" + here;
for (const other of document.querySelectorAll(".attempts a, .beside a")) other.hash = state;
