package engine

import (
	"fmt"
	"slices"

	"pfsd/engine/connection"
	"pfsd/engine/errorlog"
	"pfsd/instr"
)

// maxInitFile is the largest --init-file, in bytes.
const maxInitFile = 64 << 20

// initialise carries out the statements of the options, before anybody is let in.
func (s *Server) initialise(h *connection.Handler, o Options) error {
	statements := o.Init
	if s.fresh {
		statements = slices.Concat(o.InitOnce, statements)
		if o.GeneratedPassword != "" {
			s.log.Write(errorlog.GeneratedPassword, o.GeneratedPassword)
		}
	}
	for _, statement := range statements {
		if err := h.CarryOut(statement); err != nil {
			return err
		}
	}
	if o.InitFile == "" {
		return nil
	}
	text, err := (*instr.FileClass)(nil).ReadRegular(o.InitFile, maxInitFile)
	if err != nil {
		return fmt.Errorf("cannot read --init-file %s: %w", o.InitFile, errorlog.Cause(err))
	}
	if err := h.CarryOut(string(text)); err != nil {
		return fmt.Errorf("--init-file %s: %w", o.InitFile, err)
	}
	return nil
}
