package main

import (
	"fmt"
	"net/http"
	"strconv"
)

func (s *shop) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		name, err := s.users.name(r.Context(), number(r.PathValue("id")))
		answer(w, name, err)
	})
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		id, err := s.order(r.Context(), number(r.FormValue("user")), r.FormValue("item"))
		answer(w, id, err)
	})
	mux.HandleFunc("POST /transfers", func(w http.ResponseWriter, r *http.Request) {
		err := s.transfer(r.Context(), number(r.FormValue("from")), number(r.FormValue("to")), number(r.FormValue("amount")))
		answer(w, "done", err)
	})
	mux.HandleFunc("GET /offers", func(w http.ResponseWriter, r *http.Request) { answer(w, offer(r.FormValue("item")), nil) })
	return mux
}

func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = fmt.Fprintln(w, value)
}

// number is what the text says, 0 if that is no number.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
